import { readFileSync, writeFileSync } from "node:fs"
import { proofDocument, readmeFigures, withFigures } from "./document.ts"
import { readResults } from "./result.ts"

const results = readResults()
writeFileSync("docs/proof.md", proofDocument(results))
const readme = readFileSync("README.md", "utf8")
writeFileSync("README.md", withFigures(readme, readmeFigures(results)))
console.log(`docs/proof.md and README.md have the figures of ${results.size} results.`)
