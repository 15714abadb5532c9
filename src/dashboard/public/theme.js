// Runs before the first paint, so that the page never shows the other theme first.
const choice = localStorage.getItem("theme")
const dark = choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
document.documentElement.classList.toggle("dark", dark)
