-- The partitions that a handler may write, by its kind.
return {
  discrete_update = { xd = true },
  unrestricted_update = { q = true, v = true, z = true, xd = true, abstract = true, param = true },
}
