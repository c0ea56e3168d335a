"""Draws what metrics computed."""

from turnsure.report.export import write_charts
from turnsure.report.page import render_html, write_report
from turnsure.report.terminal import summary_table
from turnsure.report.terminal_controls import controls_table

__all__ = ["controls_table", "render_html", "summary_table", "write_charts", "write_report"]
