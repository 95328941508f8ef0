import { isMap, isScalar, isSeq, type Node } from 'yaml'
import type { PolicyError, YamlDocument } from './yaml.ts'

type Value = Node | null | undefined

/** Reads nodes as what they must be. What they are not is noted in `errors`, with its place, and read as undefined. */
export class Reader {
  readonly errors: PolicyError[] = []
  readonly #document: YamlDocument

  constructor(document: YamlDocument) {
    this.#document = document
  }

  refuse(node: Value, field: string, message: string, offset?: number): undefined {
    this.errors.push(this.#document.errorAt(node, field, message, offset))
    return undefined
  }

  /** The fields of a map, all of them among `known` (default: any name). */
  fields(node: Value, path: string, known?: readonly string[]): ReadonlyMap<string, Node> {
    const fields = new Map<string, Node>()
    if (!isMap(node)) {
      this.refuse(node, path, 'must be a map (name: value)')
      return fields
    }
    for (const { key, value } of node.items) {
      const at = isScalar(key) ? key : node
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined
      if (name === undefined) this.refuse(at, path, 'names of fields must be text')
      else if (known && !known.includes(name)) {
        this.refuse(at, under(path, name), `there is no such field; known are ${known.join(', ')}`)
      } else if (fields.has(name)) this.refuse(at, under(path, name), 'stands here twice')
      else if (value === null || (isScalar(value) && value.value === null)) this.refuse(at, under(path, name), 'has no value')
      else fields.set(name, value as Node)
    }
    return fields
  }

  items(node: Value, path: string, max: number): readonly Node[] {
    if (node === undefined) return []
    if (!isSeq(node)) return this.refuse(node, path, 'must be a list') ?? []
    if (node.items.length > max) return this.refuse(node, path, `may have ${max} entries, and has ${node.items.length}`) ?? []
    return node.items as Node[]
  }

  text(node: Value, path: string, max: number): string | undefined {
    const value = this.#scalar(node)
    if (typeof value !== 'string') return this.refuse(node, path, `must be text${hint(value)}`)
    if (value.trim() === '') return this.refuse(node, path, 'must not be empty')
    if (value.length > max) return this.refuse(node, path, `may have ${max} characters, and has ${value.length}`)
    return value
  }

  /** A text that is one of `words`. */
  word<W extends string>(node: Value, path: string, words: readonly W[]): W | undefined {
    const value = this.#scalar(node)
    const word = words.find((candidate) => candidate === value)
    return word ?? this.refuse(node, path, `must be one of ${words.join(', ')}`)
  }

  bool(node: Value, path: string): boolean | undefined {
    const value = this.#scalar(node)
    return typeof value === 'boolean' ? value : this.refuse(node, path, 'must be true or false')
  }

  #scalar(node: Value): unknown {
    return isScalar(node) ? node.value : undefined
  }
}

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const hint = (value: unknown): string => (typeof value === 'number' || typeof value === 'boolean' ? ': put it in quotes' : '')
