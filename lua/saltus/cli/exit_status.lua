-- The exit status of `saltus`, for help, the man page and docs/runs.md.
return {
  { "0", "the run reached its end, or the scenario terminated it" },
  { "1", "the run or the file failed, an expected formula did not hold, two saves differ, a name or value "
    .. "did not fit the model, or a file could not be read or written" },
  { "2", "the command line was wrong: an unknown word, or a value of the wrong form; nothing was run or written" },
  { "130", "Ctrl-C (SIGINT) ended the run at a step; its files were written" },
  { "143", "SIGTERM ended the run at a step; its files were written" },
}
