"""Draws a figure; the first import looks for fonts and keeps what it finds."""

NEEDS = ["matplotlib"]

import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def callback():
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3])
    axes.set_title("Rain")
    image = io.BytesIO()
    figure.savefig(image)
    return len(image.getvalue()) > 1000
