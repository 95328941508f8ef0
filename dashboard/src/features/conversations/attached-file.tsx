import { Button, VisuallyHidden } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '../../ui/download.ts'
import { formatFileSize } from '../../ui/format-file-size.ts'
import { notifyError } from '../../ui/notify.ts'
import classes from './conversations.module.css'
import { useMember } from './member-context.ts'
import { type Attachment, memberKey } from './member-queries.ts'
import type { MemberSession } from './member-session.ts'

/** Image types that browsers render without running scripts. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const MAX_IMAGE_BYTES = 5_000_000

/** An attachment: images are shown, all files can be downloaded. */
export function AttachedFile({ attachment }: { readonly attachment: Attachment }) {
  const { t } = useTranslation('conversations')
  const { client } = useMember()
  const { filename, file_size: bytes, file_type: type } = attachment
  const download = async () => downloadFile(filename, await fetchContent(client, attachment.id))
  return (
    <>
      {IMAGE_TYPES.includes(type) && bytes <= MAX_IMAGE_BYTES && <Image attachment={attachment} />}
      <Button
        mt={4}
        size="compact-sm"
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => void download().catch(notifyError)}
      >
        <VisuallyHidden>{t('message.download')} </VisuallyHidden>
        {filename} · {formatFileSize(bytes)}
      </Button>
    </>
  )
}

function Image({ attachment: { id, filename } }: { readonly attachment: Attachment }) {
  const { client, userId } = useMember()
  const { data: blob } = useQuery({
    queryKey: memberKey(userId, 'file', id),
    queryFn: () => fetchContent(client, id),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const objectUrl = URL.createObjectURL(blob)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [blob])
  return url === undefined ? null : <img className={classes.image} src={url} alt={filename} />
}

async function fetchContent(client: MemberSession['client'], id: string): Promise<Blob> {
  const { data } = await client.GET('/v1/attachments/{id}/content', { params: { path: { id } }, parseAs: 'blob' })
  return data as unknown as Blob
}
