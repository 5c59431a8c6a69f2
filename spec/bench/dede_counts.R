# Evaluations that deSolve's dede (lsoda) takes at tolerance 1e-6 for four delay equations. Prints `key value` lines.
suppressPackageStartupMessages(library(deSolve))
before <- function(t, lag, value) if (t < lag) value else lagvalue(t - lag)
problems <- list(
  linear_unit_lag = list(1, 20, function(t, y, p) list(-before(t, 1, 1))),
  hutchinson = list(0.1, 40, function(t, y, p) list(1.8 * y * (1 - before(t, 1, 0.1)))),
  mackey_glass_a1 = list(0.5, 500, function(t, y, p) {
    z <- before(t, 14, 0.5)
    list(0.2 * z / (1 + z^10) - 0.1 * y)
  }),
  state_dependent_c1 = list(0.5, 30, function(t, y, p) list(-2 * before(t, 1 + abs(y), 0.5) * (1 - y^2))))
for (name in names(problems)) {
  p <- problems[[name]]
  out <- dede(p[[1]], seq(0, p[[2]], length.out = 41), p[[3]], NULL, atol = 1e-6, rtol = 1e-6)
  cat(sprintf("%s_evaluations %d\n", name, sum(attributes(out)$istate[3])))
}
