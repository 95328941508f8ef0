import { posix } from 'node:path'
import { DocumentError } from '../../document.ts'
import { childrenOf, decodeXml, findAll, parseXml, textIn, type XmlElement } from '../xml.ts'
import { type Files, unzip } from '../zip.ts'

/** Limit of the unpacked parts that hold text. A book of a thousand pages has about 10 MB. */
const MAX_XML = 128 << 20
const HAS_TEXT = /\.(?:xml|rels|vml|html?|xhtml|txt|docx)$/i

export interface Relation {
  readonly type: string
  /** The name of a part, or an address if `external`. */
  readonly target: string
  readonly external: boolean
}

/** The parts of a Word, Excel or PowerPoint file, and the relations between them. */
export class Package {
  readonly files: Files

  private constructor(files: Files) {
    this.files = files
  }

  static async open(bytes: Uint8Array): Promise<Package> {
    return new Package(await unzip(bytes, (name) => HAS_TEXT.test(name), MAX_XML))
  }

  /** The main part. Throws `DocumentError` if there is none. */
  main(program: string): string {
    const [main] = this.related('', 'officeDocument')
    if (main && this.files.has(main.target)) return main.target
    const message = `The ${program} file is damaged or incomplete. Open it in ${program} and save it again.`
    throw new DocumentError('broken', message)
  }

  /** Undefined if there is no such part. */
  part(name: string | undefined): XmlElement | undefined {
    return name !== undefined && this.files.has(name) ? parseXml(this.text(name)) : undefined
  }

  /** Empty if there is no such part. */
  text(name: string): string {
    return decodeXml(this.files.get(name))
  }

  /** The relations of a part by their ids. The package itself has the empty name. */
  relations(part: string): ReadonlyMap<string, Relation> {
    const folder = posix.dirname(part)
    const list = this.part(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))
    return new Map(
      findAll(list, 'rel:Relationship').map(({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) => {
        const external = TargetMode === 'External'
        const target = external ? Target : posix.join('/', folder, decodeTarget(Target, folder)).slice(1)
        return [Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target, external }]
      }),
    )
  }

  related(part: string, type: string): Relation[] {
    return [...this.relations(part).values()].filter((relation) => relation.type === type)
  }

  /** The first part of a kind that a part relates to. */
  relatedPart(part: string, type: string): XmlElement | undefined {
    return this.part(this.related(part, type)[0]?.target)
  }

  title(): string | undefined {
    const properties = this.part(this.related('', 'core-properties')[0]?.target ?? 'docProps/core.xml')
    const title = childrenOf(properties).find((property) => /(?:^|:)title$/.test(property.name))
    return title && textIn(title)
  }
}

/** A target that starts with a slash counts from the package's top folder. */
function decodeTarget(target: string, folder: string): string {
  const path = target.startsWith('/') ? posix.relative(posix.join('/', folder), target) : target
  return path.includes('%') ? safeDecode(path) : path
}

function safeDecode(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
