import reference from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import type { Plugin } from 'vite'

/** Every feature that would call Scalar's services is off: the page sends requests to its own server only. */
const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: 'never',
  showDeveloperTools: 'never',
  hideClientButton: true,
  mcp: { disabled: true },
  agent: { disabled: true },
} as const

/** Browsers request /favicon.ico for a page without an icon. */
const NO_ICON = '<link rel="icon" href="data:,">'

/** Writes the API reference, a page and its script, beside the dashboard; the server adds the nonce of its scripts. */
export function apiReference(): Plugin {
  return {
    name: 'api-reference',
    apply: 'build',
    async generateBundle() {
      const app = fastify()
      await app.register(reference, { routePrefix: '/docs', configuration: CONFIGURATION })
      const page = (await app.inject('/docs/')).payload
      const html = page.replaceAll('<script', '<script nonce="%NONCE%"').replace('<head>', `<head>${NO_ICON}`)
      this.emitFile({ type: 'asset', fileName: 'reference/index.html', source: html })
      this.emitFile({ type: 'asset', fileName: 'reference/scalar.js', source: (await app.inject('/docs/js/scalar.js')).payload })
      await app.close()
    },
  }
}
