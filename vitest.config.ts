import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'conformance/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    // The machine the suite must pass on has two cores, and some tests mostly wait for a process, a browser
    // or a time-out; more workers than this only fight for the cores.
    maxWorkers: 3,
  },
})

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export of its configuration.
export default config
