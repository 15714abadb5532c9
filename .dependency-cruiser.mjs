import { readFileSync } from "node:fs"

// CONTRIBUTING.md lists the folders in order: values are imported only from folders below.
const map = /```\nsrc\/\n([\s\S]*?)```/.exec(readFileSync("CONTRIBUTING.md", "utf8"))?.[1] ?? ""
const order = [...map.matchAll(/^ {2}([a-z-]+)(\/|\.ts)/gm)].map(([, name, end]) => ({
  name,
  path: `^src/${name}${end === "/" ? "/" : "\\.ts$"}`,
}))
if (order.length < 30) throw new Error("CONTRIBUTING.md has no list of src/")

const values = { dependencyTypesNot: ["type-only"] }

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle",
      severity: "error",
      from: { path: "^src/" },
      to: { circular: true, viaOnly: values },
    },
    ...order.slice(1).map(({ name, path }, index) => ({
      name: `${name}-imports-no-value-from-above`,
      severity: "error",
      from: { path },
      to: { path: order.slice(0, index + 1).map((above) => above.path), ...values },
    })),
    {
      name: "every-folder-is-in-the-map",
      severity: "error",
      from: { path: "^src/", pathNot: order.map(({ path }) => path) },
      to: {},
    },
  ],
  options: { tsPreCompilationDeps: true, parser: "swc", doNotFollow: "node_modules" },
}
