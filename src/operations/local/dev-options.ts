import { parseArgs } from "node:util"

export const USAGE = `npm run dev -- [--fresh] [--databases COUNT] [--state FOLDER] [--credentials FOLDER]
Starts Edgepost on this machine, on port 8787 or on that of the environment's PORT. --fresh deletes the
state of earlier starts. The state is in .wrangler/state, the credentials are in .dev, unless given.
Settings may be in settings.toml beside the credentials, secrets in secrets.env there. --databases starts
with several databases, which the state keeps from then on.`

export const options = readOptions()
export const port = process.env.PORT || "8787"

if (options.help) {
  console.log(USAGE)
  process.exit()
}
if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
  console.error(`PORT must be a number from 1 to 65535, not ${JSON.stringify(port)}.`)
  process.exit(1)
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: "boolean" },
        fresh: { type: "boolean" },
        state: { type: "string", default: ".wrangler/state" },
        credentials: { type: "string", default: ".dev" },
        databases: { type: "string", default: "1" },
      },
    })
    return values
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(1)
  }
}
