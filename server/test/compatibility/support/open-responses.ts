import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ForeignRepository } from './foreign-repository.ts'

interface Config {
  readonly baseUrl: string
  readonly apiKey: string
  readonly authHeaderName: string
  readonly useBearerPrefix: boolean
  readonly model: string
}
export interface ComplianceResult {
  readonly id: string
  readonly status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
  readonly errors?: readonly string[]
}
interface Suite {
  readonly testTemplates: readonly { readonly id: string }[]
  readonly runAllTests: (config: Config, onProgress: (result: ComplianceResult) => void) => Promise<readonly ComplianceResult[]>
}

const ENTRY = 'src/lib/compliance-tests.ts'
const SOURCES = /^src\/(lib|generated)\/.*\.ts$/

/** The compliance suite of Open Responses. Its files are in a temporary directory until `remove` is called. */
export async function openResponsesSuite(repository: ForeignRepository): Promise<Suite & { readonly remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'open-responses-'))
  for (const path of repository.list().filter((name) => SOURCES.test(name))) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), repository.read(path))
  }
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  const base = pathToFileURL(directory).href
  // The suite is written for Bun: it imports without file extensions, and version 3 of Zod.
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (!context.parentURL?.startsWith(base)) return next(specifier, context)
      if (specifier === 'zod') return next('zod/v3', { ...context, parentURL: import.meta.url })
      return next(/^\.(?!.*\.ts$)/.test(specifier) ? `${specifier}.ts` : specifier, context)
    },
  })
  try {
    const suite: Suite = await import(`${base}/${ENTRY}`)
    return { ...suite, remove: () => rmSync(directory, { recursive: true }) }
  } finally {
    hooks.deregister()
  }
}
