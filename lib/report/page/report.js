// Draws the curves of a report: one chart per quantity, in it every run and its
// kinds of curves. All that comes from outside is in the JSON of #data and goes
// into the page as text.
(function () {
  "use strict";

  const data = JSON.parse(document.getElementById("data").textContent);
  const comparing = data.runs.length > 1;
  const touch = matchMedia("(pointer: coarse)").matches;
  const dashes = [undefined, [7, 3], [2, 3]];
  const state = { epochs: data.runs.every((run) => run.steps_per_epoch > 0), raw: false };
  const noisyFrom = 60; // points of a curve that is shown smoothed
  const charts = [];

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  // Of a run where several are compared, else of a kind of curve.
  function colour(index) {
    return style("--s" + (index % 8));
  }

  // --- numbers -----------------------------------------------------------------

  // With as many digits as tell values within `span` apart.
  function short(value, span = 0) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    const needed = span > 0 ? Math.ceil(Math.log10(size / span)) + 2 : 0;
    const digits = Math.min(12, Math.max(3, needed));
    if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 2).replace("e+", "e");
    if (size >= 100 && digits === 3) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(digits)));
  }

  function shown(value, unit) {
    if (value === null || value === undefined) return "";
    if (unit === "%") return value.toFixed(2) + " %";
    if (unit === "x%") return (100 * value).toFixed(1) + " %";
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    return size !== 0 && size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
  }

  // --- data --------------------------------------------------------------------

  // A mean whose weights fall off by a tenth with each point.
  function smoothed(values) {
    let sum = 0, weight = 0;
    return values.map((value) => {
      if (value === null) return null;
      sum = 0.9 * sum + 0.1 * value;
      weight = 0.9 * weight + 0.1;
      return sum / weight;
    });
  }

  // The lines of a chart, each with its points. What varies from step to step is drawn smoothed,
  // over its faint values where one run has the room for both.
  function linesOf(chart) {
    const lines = [];
    const faint = [];
    data.runs.forEach((run, runIndex) => {
      chart.curves.forEach((curve, kind) => {
        const points = run.curves[curve.key];
        if (!points) return;
        const scale = state.epochs ? 1 / run.steps_per_epoch : 1;
        const trained = curve.key.startsWith("train.");
        const noisy = trained && !chart.exact && points[0].length >= noisyFrom && !state.raw;
        const line = {
          run: runIndex, kind, trained, values: points[1],
          x: points[0].map((step) => step * scale),
          y: noisy ? smoothed(points[1]) : points[1],
        };
        if (noisy && !comparing) faint.push(Object.assign({}, line, { y: points[1], faint: true }));
        lines.push(line);
      });
    });
    return faint.concat(lines);
  }

  // One table of all lines for dygraphs: a row for every place on the x axis. A logarithm has no
  // place for 0.
  function tableOf(chart) {
    const lines = chart.lines;
    const rows = new Map();
    lines.forEach((line, column) => {
      line.x.forEach((x, i) => {
        let row = rows.get(x);
        if (!row) {
          row = new Array(lines.length + 1).fill(null);
          row[0] = x;
          rows.set(x, row);
        }
        row[column + 1] = chart.log && !(line.y[i] > 0) ? null : line.y[i];
      });
    });
    return [...rows.values()].sort((a, b) => a[0] - b[0]);
  }

  // The value of a line at x, or at its last point before.
  function valueAt(line, x) {
    let low = 0, high = line.x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line.x[middle] <= x) low = middle + 1; else high = middle;
    }
    return low > 0 ? line.values[low - 1] : null;
  }

  // --- charts ------------------------------------------------------------------

  function seriesOptions(chart) {
    const series = {};
    chart.lines.forEach((line, i) => {
      const evaluated = !line.trained;
      const both = chart.about.curves.length > 1;
      const few = line.x.length < 60;
      series[String(i)] = {
        color: colour(comparing ? line.run : line.kind) + (line.faint ? "44" : ""),
        strokeWidth: line.faint ? 1 : 1.75,
        highlightCircleSize: line.faint ? 0 : 3.5,
        strokePattern: comparing && line.run >= 8 ? dashes[Math.floor(line.run / 8) % 3]
          : comparing && both && line.trained ? [3, 2]
          : comparing && line.kind === 2 ? [8, 3] : undefined,
        drawPoints: (evaluated && few) || line.x.length === 1,
        pointSize: 2.5,
      };
    });
    return series;
  }

  function colourOptions() {
    return { gridLineColor: style("--grid"), axisLineColor: style("--line") };
  }

  // What stands beside the names of lines: values at x, or their last ones.
  function readOut(chart, x) {
    chart.lines.forEach((line, i) => {
      const value = x === null ? line.values[line.values.length - 1] : valueAt(line, x);
      if (chart.values[i]) chart.values[i].textContent = shown(value, chart.about.unit);
    });
    const unit = state.epochs ? "epoch" : "step";
    chart.place.textContent = x === null ? unit + "s"
      : unit + " " + (state.epochs ? x.toFixed(2) : Math.round(x).toLocaleString("en"));
  }

  function readOutAll(x) {
    charts.forEach((chart) => readOut(chart, x));
  }

  // Of one run an entry for each kind of curve; of several a row for each kind, whose entries have
  // the runs' colours alone: their names are above.
  function legendOf(chart) {
    chart.legend.replaceChildren();
    chart.values = chart.lines.map(() => null);
    if (data.runs.length > 12) return;
    chart.about.curves.forEach((curve, kind) => {
      const row = element("div", "kind");
      if (comparing && curve.label) row.append(element("span", "", curve.label));
      chart.lines.forEach((line, i) => {
        if (line.kind !== kind || line.faint) return;
        const entry = element("span", "entry");
        const mark = element("span", "mark");
        mark.dataset.run = String(comparing ? line.run : line.kind);
        entry.append(mark);
        if (!comparing && curve.label) entry.append(element("span", "", curve.label));
        chart.values[i] = element("b");
        entry.append(chart.values[i]);
        row.append(entry);
      });
      chart.legend.append(row);
    });
    colourMarks();
  }

  function zoomed(source, from, to) {
    const reset = !source.isZoomed("x");
    charts.forEach((chart) => {
      if (chart.graph !== source) {
        chart.graph.updateOptions({ dateWindow: reset ? null : [from, to] });
      }
    });
  }

  function axisOptions(chart) {
    const unit = chart.about.unit;
    return {
      x: {
        axisLabelFormatter: (x) => state.epochs ? String(Number(x.toPrecision(6))) : short(x),
        pixelsPerLabel: 70, axisLabelFontSize: 12,
      },
      y: {
        axisLabelFormatter: (y, granularity, option, graph) => {
          const [low, high] = graph.yAxisRange(0);
          if (unit === "x%") return short(100 * y, 100 * (high - low)) + " %";
          return short(y, high - low) + (unit === "%" ? " %" : "");
        },
        pixelsPerLabel: 34, axisLabelWidth: 56, axisLabelFontSize: 12,
      },
    };
  }

  function draw(chart) {
    const options = Object.assign({
      logscale: chart.log,
      labels: ["x"].concat(chart.lines.map((line, i) => String(i))),
      series: seriesOptions(chart),
      axes: axisOptions(chart),
      connectSeparatedPoints: true,
      legend: "never",
      xRangePad: 3, yRangePad: 6, rightGap: 8,
      highlightCallback: (event, x) => readOutAll(x),
      unhighlightCallback: () => readOutAll(null),
      zoomCallback: (from, to) => zoomed(chart.graph, from, to),
    }, colourOptions());
    // A finger scrolls the page; a tap still shows the values.
    if (touch) options.interactionModel = {};
    chart.graph = new Dygraph(chart.plot, tableOf(chart), options);
  }

  // A button that is on or off; `change` returns false where it cannot be so.
  function toggle(text, pressed, change) {
    const button = element("button", "", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(pressed));
    button.addEventListener("click", () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      if (change(now) !== false) button.setAttribute("aria-pressed", String(now));
    });
    return button;
  }

  function make(about) {
    const chart = { about, lines: [], log: false };
    const figure = element("figure", "chart");
    const head = element("figcaption");
    chart.place = element("span", "place");
    head.append(element("h3", "", about.title), chart.place);
    if (about.log) {
      head.append(toggle("log", false, (on) => {
        chart.log = on;
        chart.graph.updateOptions({ file: tableOf(chart), logscale: on });
      }));
    }
    chart.legend = element("div", "legend");
    chart.plot = element("div", "plot");
    figure.append(head, chart.legend, chart.plot);
    document.getElementById("charts").append(figure);
    chart.lines = linesOf(about);
    legendOf(chart);
    draw(chart);
    readOut(chart, null);
    charts.push(chart);
  }

  // --- the whole page ----------------------------------------------------------

  // Other lines, or at other places.
  function refresh() {
    charts.forEach((chart) => {
      chart.lines = linesOf(chart.about);
      legendOf(chart);
      chart.graph.destroy();
      draw(chart);
      readOut(chart, null);
    });
    data.runs.forEach((run, i) => showRun(i, !hidden.has(i)));
  }

  function colourMarks() {
    document.querySelectorAll(".mark").forEach((mark) => {
      mark.style.background = colour(Number(mark.dataset.run));
    });
  }

  function recolour() {
    colourMarks();
    charts.forEach((chart) => chart.graph.updateOptions(
      Object.assign({ series: seriesOptions(chart) }, colourOptions())));
  }

  const hidden = new Set();

  // One has to stay: a chart without a line has no scale.
  function showRun(run, on) {
    if (!on && !hidden.has(run) && hidden.size + 1 === data.runs.length) return false;
    if (on) hidden.delete(run); else hidden.add(run);
    charts.forEach((chart) => {
      chart.lines.forEach((line, i) => {
        if (line.run === run && chart.graph.visibility()[i] !== on) chart.graph.setVisibility(i, on);
      });
    });
    return true;
  }

  function makeTools() {
    const tools = document.getElementById("tools");
    if (state.epochs) {
      tools.append(toggle("steps instead of epochs", false, (on) => {
        state.epochs = !on;
        refresh();
      }));
    }
    tools.append(toggle("values as they are, not smoothed", false, (on) => {
      state.raw = on;
      refresh();
    }));
    if (comparing) {
      data.runs.forEach((run, i) => {
        const button = toggle(run.name, true, (on) => showRun(i, on));
        const mark = element("span", "mark");
        mark.dataset.run = String(i);
        button.prepend(mark);
        tools.append(button);
      });
    }
    if (!touch) {
      tools.append(element("span", "hint", "drag to zoom, double click for all"));
    }
  }

  if (data.charts.length === 0) {
    document.getElementById("charts").append(element("p", "", "No records yet."));
  } else {
    makeTools();
    data.charts.forEach(make);
  }
  colourMarks();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  if (data.running) {
    // The file changes at each evaluation; nobody is disturbed who looks closely.
    setInterval(() => {
      const busy = charts.some((chart) => chart.graph.isZoomed()) || document.querySelector("details[open] pre");
      if (!busy && document.visibilityState === "visible") location.reload();
    }, 60000);
  }
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
})();
