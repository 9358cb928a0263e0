import { holdToContract } from './contract/registry.ts'

await holdToContract(0, 4)
