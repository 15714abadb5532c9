import { code, prose, type Section } from "../blocks.ts"

export const templates: Section = {
  id: "template-syntax",
  title: "Template syntax",
  body: [
    code("Hello {{ name }}, order {{ order.number }} is on its way.", "A template's text", "text"),
    prose(`
- A placeholder is one to four identifiers (\`[A-Za-z_][A-Za-z0-9_]{0,63}\`) with dots between them. Anything else between braces stays as it is. There are no loops or conditions.
- Values are strings, numbers and booleans: escaped in \`bodyHtml\`, as they are in text and subject. What is filled in is never read again.
- A missing or null value takes the \`default\` of \`variablesSchema\`, else the render and the send are refused: \`400\`, every missing name in \`details.missing\`. An object, a list or a value against its declared type is in \`details.invalid\`, as is a control character in the subject.
- An email's own \`subject\` takes the place of the template's, which is then not rendered.
- A change of anything makes the next \`version\`. An email keeps what was rendered for it.`),
  ],
}
