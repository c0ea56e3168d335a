"""Draws what metrics computed."""

from turnsure.report.export import write_charts
from turnsure.report.page import render_html, write_report
from turnsure.report.terminal import summary_table

__all__ = ["render_html", "summary_table", "write_charts", "write_report"]
