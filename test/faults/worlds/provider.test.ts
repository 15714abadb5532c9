import { testWorld } from "../test-world.ts"

testWorld("provider")
