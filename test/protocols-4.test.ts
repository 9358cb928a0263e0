import { holdToContract } from './contract/registry.ts'

await holdToContract(3, 4)
