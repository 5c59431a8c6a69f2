function love.conf(t)
  t.identity = "saltus_rewind"
  t.version = "11.0"
  t.window.title = "Saltus: a ball, and time that runs back"
  t.window.width, t.window.height = 960, 600
  t.window.msaa = 4
  for _, unused in ipairs { "audio", "joystick", "physics", "sound", "touch", "video" } do t.modules[unused] = false end
end
