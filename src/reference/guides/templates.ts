import { code, prose, type Section } from "../blocks.ts"

export const templates: Section = {
  id: "template-syntax",
  title: "Template syntax",
  body: [
    code("Hello {{ name }}, order {{ order.number }} is on its way.", "A template's text", "text"),
    prose(`
- A placeholder is one to four identifiers (\`[A-Za-z_][A-Za-z0-9_]{0,63}\`) with dots between them. Anything else between braces stays as it is. There are no loops or conditions.
- Values are strings, numbers and booleans: escaped in \`bodyHtml\`, unchanged in text and subject. Placeholders inside values are not filled.
- A missing or null value takes the \`default\` of \`variablesSchema\`. Without a default, the render and the send are refused: \`400\`, with every missing name in \`details.missing\`. \`details.invalid\` names objects, lists, values of another type than declared, values that bring control characters into the subject, and values that begin a link with another scheme than \`http\`, \`https\`, \`mailto\` or \`tel\`.
- An email's own \`subject\` replaces the template's.
- Every change makes the next \`version\`. Accepted emails keep the version they were rendered from.`),
  ],
}
