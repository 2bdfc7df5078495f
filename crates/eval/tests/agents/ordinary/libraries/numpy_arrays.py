"""Computes with arrays, in the library's own threads."""

import numpy

WEIGHTS = numpy.random.default_rng(7).normal(size=(100, 100))


def callback():
    return numpy.linalg.norm(WEIGHTS @ WEIGHTS.T) + numpy.fft.fft(numpy.ones(8)).real.sum()
