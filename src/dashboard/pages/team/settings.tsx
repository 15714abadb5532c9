import { Page } from "../../ui/page.tsx"

export default function Placeholder() {
  return <Page title="settings">Soon.</Page>
}
