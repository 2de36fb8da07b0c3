/** Local times, ages, and amounts with separators as the server writes them. */
export const READING = `
  const two = (n) => String(n).padStart(2, "0");
  const clock = (at) => [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  const date = (at) => {
    const isThisYear = at.getFullYear() === new Date().getFullYear();
    const year = isThisYear ? {} : { year: "numeric" };
    return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
  };
  const local = (at) => {
    const isToday = at.toDateString() === new Date().toDateString();
    return isToday ? clock(at) : date(at) + " " + clock(at);
  };
  const utc = (at) => at.toISOString().slice(0, 19).replace("T", " ") + " UTC";
  const age = (at) => {
    const ms = Math.abs(Date.now() - at);
    const units = [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000]];
    const unit = units.find(([, unitMs]) => ms >= unitMs);
    if (!unit) return "just now";
    const long = Math.floor(ms / unit[1]) + " " + unit[0];
    return at > Date.now() ? "in " + long : long + " ago";
  };
  const isPhone = matchMedia("(max-width: 40rem)").matches;
  every(":is(.at-age, .timeline, .facts) time:not([data-age])", (element) => {
    element.dataset.age = isPhone && element.closest(".at-age") ? "only" : "today";
  });
  const shown = (at, kind) => {
    if (kind === "only") return age(at);
    const isToday = at.toDateString() === new Date().toDateString();
    return local(at) + (kind === "too" || (kind === "today" && isToday) ? " · " + age(at) : "");
  };
  const showTimes = (all) => every(all ? "time[datetime]" : "time[data-age]", (element) => {
    const at = new Date(element.dateTime);
    const kind = element.dataset.age;
    element.textContent = shown(at, kind);
    element.title = kind === "only" ? local(at) + ", " + utc(at) : utc(at);
  });
  showTimes(true);
  setInterval(() => showTimes(false), 10000);
  // On paper an age is soon wrong, and nobody knows whose local time it is.
  addEventListener("beforeprint", () =>
    every("time", (it) => it.textContent = utc(new Date(it.dateTime))));
  addEventListener("afterprint", () => showTimes(true));

  function amount(text) {
    const [, sign, whole, fraction = ""] = /^([-+]?)(\\d+)(?:\\.(\\d+))?$/.exec(text) ?? [];
    if (whole === undefined) return [text];
    const separated = sign + whole.replace(/\\B(?=(\\d{3})+$)/g, ",");
    const exact = separated + (fraction && "." + fraction);
    if (whole.length > 15) {
      const power = String(whole.length - 1).replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
      return [sign + whole[0] + "." + whole.slice(1, 4) + " × 10" + power, "", exact];
    }
    const zeros = /^0*/.exec(fraction)[0].length;
    const few = Math.min(8, Math.max(4, zeros + 3));
    const kept = fraction.slice(0, whole.length > 3 ? 2 : whole !== "0" ? 4 : few);
    if (whole === "0" && zeros > 7 && fraction > "0".repeat(zeros)) return [sign + "<0", ".00000001", exact];
    return [separated, kept && "." + kept, kept.length < fraction.length ? exact : undefined];
  }
`;
