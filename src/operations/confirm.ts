import { createInterface } from "node:readline/promises"

/** Whether the person types the name of the installation. */
export async function confirmByName(name: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  const typed = await prompt.question("Type the name of the installation to go on: ")
  prompt.close()
  return typed.trim() === name
}
