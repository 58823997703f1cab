"""Have the chains converged, and how many independent tables are they worth?

Sources: Gelman and others, Bayesian Data Analysis (3rd edition, section 11.4 and 11.5); Geyer 1992 for where the sum of
autocorrelations is cut.
"""

import numpy as np
from numpy.typing import NDArray


def split_rhat_and_ess(trace: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(split R-hat, effective sample size) of every watched number.

    Parameters
    ----------
    trace: (draws x chains x numbers), at least four draws.

    Returns
    -------
    Chains that never moved and agree: R-hat 1 and one effective draw a chain; that differ: infinite and 1.
    """
    half = trace.shape[0] // 2
    halves = np.concatenate([trace[:half], trace[half : 2 * half]], axis=1).astype(np.float64)
    draws, chains, _ = halves.shape
    mean = halves.mean(axis=0)
    within = halves.var(axis=0, ddof=1).mean(axis=0)
    between = draws * mean.var(axis=0, ddof=1)
    pooled = (draws - 1) / draws * within + between / draws
    still = within == 0
    safe = np.where(still, 1.0, within)
    rhat = np.where(still, np.where(between == 0, 1.0, np.inf), np.sqrt(pooled / safe))
    centred = halves - mean
    spectrum = np.fft.rfft(centred, 2 * draws, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:draws].mean(axis=1) / draws
    denominator = np.where(pooled == 0, 1.0, pooled)
    correlation = 1.0 - (safe - covariance * draws / (draws - 1)) / denominator
    pairs = correlation[: draws // 2 * 2].reshape(draws // 2, 2, -1).sum(axis=1)
    # Geyer: sums of neighbouring autocorrelations fall and stay positive; from where they do not, they are noise.
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    total = chains * draws
    time = np.maximum(2.0 * falling.sum(axis=0) - 1.0, 1.0 / np.log10(max(total, 10)))
    ess = np.where(still, np.where(between == 0, chains / 2, 1.0), np.minimum(total / time, total))
    return rhat, ess
