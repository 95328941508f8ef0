import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { didYouMean } from './did-you-mean.ts'
import type { PolicyError, YamlDocument } from './yaml.ts'

type OptionalNode = Node | null | undefined

/** Reads YAML nodes as typed values. A node of another type is read as undefined, and `errors` gets an entry with its place. */
export class NodeReader {
  readonly errors: PolicyError[] = []
  readonly #document: YamlDocument

  constructor(document: YamlDocument) {
    this.#document = document
  }

  addError(node: OptionalNode, field: string, message: string, offset?: number): undefined {
    this.errors.push(this.#document.errorAt(node, field, message, offset))
    return undefined
  }

  /** The fields of a map. Adds an error for each name that is not in `allowed`; without `allowed`, all names are accepted. */
  readFields(node: OptionalNode, path: string, allowed?: readonly string[]): ReadonlyMap<string, Node> {
    const fields = new Map<string, Node>()
    if (!isMap(node)) {
      this.addError(node, path, 'must be a map (name: value)')
      return fields
    }
    for (const { key, value } of node.items) {
      const place = isScalar(key) ? key : node
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined
      if (name === undefined) this.addError(place, path, 'names of fields must be text')
      else if (allowed && !allowed.includes(name)) {
        this.addError(place, joinPath(path, name), `unknown field${didYouMean(name, allowed, 'known fields')}`)
      } else if (fields.has(name)) this.addError(place, joinPath(path, name), 'is set twice: remove one')
      else if (value === null || (isScalar(value) && value.value === null))
        this.addError(place, joinPath(path, name), 'has no value')
      else fields.set(name, value as Node)
    }
    return fields
  }

  readItems(node: OptionalNode, path: string, max: number): readonly Node[] {
    if (node === undefined) return []
    if (!isSeq(node)) return this.addError(node, path, 'must be a list') ?? []
    const { length } = node.items
    if (length > max) return this.addError(node, path, `must have at most ${max} entries, but has ${length}`) ?? []
    return node.items as Node[]
  }

  readText(node: OptionalNode, path: string, max: number): string | undefined {
    const value = readScalar(node)
    if (typeof value !== 'string') return this.addError(node, path, `must be text${quotesHint(value)}`)
    if (value.trim() === '') return this.addError(node, path, 'must not be empty')
    if (value.length > max) return this.addError(node, path, `must have at most ${max} characters, but has ${value.length}`)
    return value
  }

  readWord<W extends string>(node: OptionalNode, path: string, words: readonly W[]): W | undefined {
    const value = readScalar(node)
    const word = words.find((candidate) => candidate === value)
    return word ?? this.addError(node, path, `must be one of ${words.join(', ')}`)
  }

  readBoolean(node: OptionalNode, path: string): boolean | undefined {
    const value = readScalar(node)
    return typeof value === 'boolean' ? value : this.addError(node, path, 'must be true or false')
  }
}

const readScalar = (node: OptionalNode): unknown => (isScalar(node) ? node.value : undefined)

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const quotesHint = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? ': put it in quotes' : ''
