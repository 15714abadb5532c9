import { useState } from "react"
import { chooseTheme, chosenTheme, THEMES } from "../../app/theme.ts"
import { Section } from "../../ui/page.tsx"

export function Theme() {
  const [chosen, setChosen] = useState(chosenTheme())
  return (
    <Section title="Theme" about="Saved in this browser.">
      <fieldset className="flex flex-wrap gap-4">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((theme) => (
          <label key={theme} className="flex items-center gap-2">
            <input
              type="radio"
              name="theme"
              className="accent-primary"
              checked={theme === chosen}
              onChange={() => {
                chooseTheme(theme)
                setChosen(theme)
              }}
            />
            {theme}
          </label>
        ))}
      </fieldset>
    </Section>
  )
}
