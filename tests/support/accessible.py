"""What can be checked of a page's accessibility by looking at it in a browser: names, roles, order, contrast."""

from functools import cache
from importlib.resources import files
from typing import Any

_FAULTS = """() => {
  const faults = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const about = (element) => `${element.tagName.toLowerCase()} ${element.outerHTML.slice(0, 90)}`;

  const ids = Array.from(document.querySelectorAll("[id]"), (element) => element.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => faults.push(`two elements have the id ${id}`));
  if (!document.documentElement.lang) faults.push("no language");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main landmark");
  const levels = Array.from(document.querySelectorAll("h1, h2, h3, h4"), (head) => Number(head.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) faults.push("not one h1");
  levels.forEach((level, at) => {
    if (at && level > levels[at - 1] + 1) faults.push(`h${level} after h${levels[at - 1]}`);
  });

  const text = (elements) => Array.from(elements, (element) => element?.textContent).join("");
  const others = (element) => (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
  const named = (element) => (element.getAttribute("aria-label")
    || text(others(element).map((id) => document.getElementById(id))) || text(element.labels || [])
    || element.textContent).trim();
  const usable = "a[href], button, input, select, textarea, progress, [role=region], [role=group], summary";
  document.querySelectorAll(usable).forEach((element) => {
    if (seen(element) && element.type !== "hidden" && !named(element)) faults.push(`no name: ${about(element)}`);
  });
  document.querySelectorAll("input:not([type=hidden]), textarea, select").forEach((element) => {
    if (!element.labels.length && !element.hasAttribute("aria-label") && !element.hasAttribute("aria-labelledby"))
      faults.push(`no label: ${about(element)}`);
  });
  document.querySelectorAll("[aria-describedby], [aria-labelledby]").forEach((element) => {
    for (const name of ["aria-describedby", "aria-labelledby"])
      (element.getAttribute(name) || "").split(" ").filter(Boolean).forEach((id) => {
        if (!document.getElementById(id)) faults.push(`${name} of nothing: ${about(element)}`);
      });
  });
  document.querySelectorAll("th").forEach((head) => { if (!head.scope) faults.push(`no scope: ${about(head)}`); });
  document.querySelectorAll("[tabindex]").forEach((element) => {
    if (element.tabIndex > 0) faults.push(`order of its own: ${about(element)}`);
  });

  // Contrast of text on the colours behind it, as WCAG 2.2 counts it (1.4.3: 4.5, large text 3).
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const over = (top, under) => { const a = top[3] ?? 1; return [0, 1, 2].map((k) => a * top[k] + (1 - a) * under[k]); };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(numbers(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => layer.length ? over(layer, under) : under, [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const kinds = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !seen(element) || element.closest(".hidden, .skip, option")) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const key = `${style.color} ${back} ${style.fontSize} ${style.fontWeight}`;
    if (kinds.has(key)) continue;
    kinds.add(key);
    const [a, b] = [light(over(numbers(style.color), back)), light(back)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${about(element)}`);
  }
  return faults;
}"""


def faults(page: Any) -> list[str]:
    """What is wrong with a page that playwright shows, in its present colour scheme."""
    found: list[str] = page.evaluate(_FAULTS)
    return found


STANDARDS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
"""What axe-core looks for; wcag22aa has the size of targets, 24 px."""

CONTRAST = ("color-contrast",)
"""The rule whose answer depends on the colour scheme."""

_RUN = """async (chosen) => (await axe.run(document, chosen)).violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`))"""


def findings(page: Any, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds on a page; rules: only these."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    chosen = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": STANDARDS}
    found: list[str] = page.evaluate(_RUN, {"runOnly": chosen, "resultTypes": ["violations"]})
    return found


@cache
def _axe() -> str:
    """The program: run in the page by the tests, never served."""
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
