import { testWorld } from "../test-world.ts"

testWorld("evictions")
