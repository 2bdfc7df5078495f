"""Makes a workbook in memory."""

NEEDS = ["openpyxl"]

import io

import openpyxl


def tool():
    book, file = openpyxl.Workbook(write_only=True), io.BytesIO()
    book.create_sheet().append(["a", 1])
    book.save(file)
    return openpyxl.load_workbook(file).active["A1"].value
