export const THEMES = ["System", "Light", "Dark"] as const
type Theme = (typeof THEMES)[number]

const systemIsDark = matchMedia("(prefers-color-scheme: dark)")

export function chosenTheme(): Theme {
  const choice = localStorage.getItem("theme")
  return choice === "dark" ? "Dark" : choice === "light" ? "Light" : "System"
}

export function chooseTheme(theme: Theme) {
  if (theme === "System") localStorage.removeItem("theme")
  else localStorage.setItem("theme", theme.toLowerCase())
  apply()
}

function apply() {
  const theme = chosenTheme()
  const dark = theme === "System" ? systemIsDark.matches : theme === "Dark"
  document.documentElement.classList.toggle("dark", dark)
}

systemIsDark.addEventListener("change", apply)
