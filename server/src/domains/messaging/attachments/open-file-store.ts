import { type BucketOptions, BucketStore } from './bucket-store.ts'
import type { FileStore } from './file-store.ts'
import { FolderStore } from './folder-store.ts'

export type FileStoreOptions = { readonly kind: 'folder'; readonly path: string } | ({ readonly kind: 'bucket' } & BucketOptions)

export const openFileStore = (options: FileStoreOptions): FileStore =>
  options.kind === 'folder' ? new FolderStore(options.path) : new BucketStore(options)
