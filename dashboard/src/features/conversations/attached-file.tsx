import { Button, VisuallyHidden } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { notifyError } from '../../ui/notify.ts'
import classes from './conversations.module.css'
import { sizeOf } from './file-size.ts'
import type { Identity } from './identity.ts'
import { useMember } from './member.ts'
import { type Attachment, memberKey } from './member-queries.ts'

/** What every browser draws, and none runs. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const LARGEST_PICTURE = 5_000_000

/** A file that came with a message: a picture is shown, and everything can be saved. */
export function AttachedFile({ attachment }: { readonly attachment: Attachment }) {
  const { client } = useMember()
  const { filename, file_size: bytes, file_type: type } = attachment
  const save = async () => {
    const url = URL.createObjectURL(await contentOf(client, attachment.id))
    const link = Object.assign(document.createElement('a'), { href: url, download: filename })
    link.click()
    // The browser has the file by then; this only lets go of its bytes.
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return (
    <>
      {PICTURES.includes(type) && bytes <= LARGEST_PICTURE && <Picture attachment={attachment} />}
      <Button
        mt={4}
        size="compact-sm"
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => void save().catch(notifyError)}
      >
        <VisuallyHidden>Save </VisuallyHidden>
        {filename} · {sizeOf(bytes)}
      </Button>
    </>
  )
}

function Picture({ attachment: { id, filename } }: { readonly attachment: Attachment }) {
  const { client, userId } = useMember()
  const { data: blob } = useQuery({
    queryKey: memberKey(userId, 'file', id),
    queryFn: () => contentOf(client, id),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url === undefined ? null : <img className={classes.picture} src={url} alt={filename} />
}

async function contentOf(client: Identity['client'], id: string): Promise<Blob> {
  const { data } = await client.GET('/v1/attachments/{id}/content', { params: { path: { id } }, parseAs: 'blob' })
  return data as unknown as Blob
}
