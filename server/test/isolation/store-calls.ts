import { readdirSync } from 'node:fs'
import type pg from 'pg'
import { onStatement, type Statement } from '../support/statement-listener.ts'

const FOLDERS = ['knowledge', 'memory', 'retrieval']
/** Matches the source of functions whose first parameter is a database, a transaction or a pool. */
const TAKES_DATABASE =
  /^(?:async )?(?:function\*?\s*\w*)?\s*\(\s*(?:tx|db|pool)\b|^(?:async )?function\*?\s*\w+\s*\(\s*\{\s*(?:db|pool)\b/

type StoreFunction = (...args: unknown[]) => unknown

/** The exported store functions of three folders, and the statements that their calls send. */
export class StoreCalls {
  /** By folder, file and name: `knowledge/document-store.findDocument`. */
  readonly functions = new Map<string, StoreFunction>()
  readonly calledNames = new Set<string>()
  readonly statements: (Statement & { readonly by: string })[] = []
  #current = 'no store function'

  constructor(pool: pg.Pool) {
    onStatement(pool, (statement) => this.statements.push({ ...statement, by: this.#current }))
  }

  async load(): Promise<void> {
    for (const folder of FOLDERS) {
      const root = new URL(`../../src/domains/${folder}/`, import.meta.url)
      for (const file of readdirSync(root).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
        const module: Record<string, unknown> = await import(new URL(file, root).href)
        for (const [name, value] of Object.entries(module)) {
          if (typeof value === 'function' && TAKES_DATABASE.test(value.toString())) {
            this.functions.set(`${folder}/${file.slice(0, -3)}.${name}`, value as StoreFunction)
          }
        }
      }
    }
  }

  /** Calls a store function by its full name, so that its statements are recorded under that name. */
  call = <T>(name: string, ...args: unknown[]): Promise<T> => {
    const storeFunction = this.functions.get(name)
    if (!storeFunction) throw new Error(`There is no store function ${name}.`)
    this.calledNames.add(name)
    const before = this.#current
    this.#current = name
    const result = storeFunction(...args)
    const settled = isBatches(result) ? Array.fromAsync(result).then((batches) => batches.flat()) : Promise.resolve(result)
    return settled.finally(() => {
      this.#current = before
    }) as Promise<T>
  }
}

const isBatches = (value: unknown): value is AsyncIterable<unknown[]> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
