import { defineConfig, type UserConfig } from 'vite'

/** Where a gateway listens while the page is worked on with `npm run dev`. */
const GATEWAY = 'http://127.0.0.1:4141'

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page also works below a path of a proxy.
  base: './',
  build: {
    outDir: '../dist/playground',
    emptyOutDir: true,
    target: 'es2022',
    // The gateway forbids data: and inline code by its content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  server: { proxy: { '/v1': GATEWAY, '/playground': GATEWAY } },
})

// biome-ignore lint/style/noDefaultExport: Vite reads the default export of its configuration.
export default config
