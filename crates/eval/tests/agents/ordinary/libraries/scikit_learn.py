"""Fits models, one of which asks how many cores there are."""

NEEDS = ["sklearn"]

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression

MODEL = LinearRegression().fit([[0], [1]], [0, 1])


def callback():
    boosting = HistGradientBoostingClassifier(max_iter=2)
    boosting.fit([[number] for number in range(50)], [0, 1] * 25)
    return MODEL.predict([[2]])
