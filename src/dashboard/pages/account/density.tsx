import { DENSITIES, density } from "../../app/density.ts"
import { Section } from "../../ui/page.tsx"

export function Density() {
  const chosen = density.use()
  return (
    <Section title="Row height" about="Saved in this browser.">
      <fieldset className="flex flex-wrap gap-4">
        <legend className="sr-only">Row height</legend>
        {DENSITIES.map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="radio"
              name="density"
              className="accent-primary"
              checked={name === chosen}
              onChange={() => density.set(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </Section>
  )
}
