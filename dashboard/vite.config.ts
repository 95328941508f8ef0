import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './scripts/compress-assets.ts'

/** A server started with `npm start`. */
const SERVER = 'http://127.0.0.1:8787'

// biome-ignore lint/style/noDefaultExport: Vite requires it
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), compressAssets()],
  build: {
    target: 'es2023',
    // The first browsers with light-dark(), which is replaced by something that does not work otherwise.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy allows no inline scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
  },
  server: { proxy: { '/admin': SERVER, '/auth': SERVER, '/v1': SERVER } },
})
