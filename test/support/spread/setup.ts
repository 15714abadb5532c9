import { chooseNextDatabase } from "./env.ts"

chooseNextDatabase()
