import AxeBuilder from "@axe-core/playwright"
import type { Page } from "playwright-core"

/** What axe finds. The frames of previews run no script, so axe cannot look into them. */
export async function faultsOf(page: Page) {
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
}
