import { Page } from "../../ui/page.tsx"

export default function Placeholder() {
  return <Page title="message">Soon.</Page>
}
