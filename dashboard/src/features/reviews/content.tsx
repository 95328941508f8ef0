import { Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { HeldMessages } from './held-messages.tsx'
import { HeldParameters } from './held-parameters.tsx'
import { Released } from './released.tsx'
import { Remembered } from './remembered.tsx'
import type { HeldContent, Mark, ReviewItem } from './review-item.ts'

interface ContentProps {
  readonly item: ReviewItem
  /** Null: erased. Undefined: the session may not read it. */
  readonly content: HeldContent | null | undefined
  readonly marks: readonly Mark[]
}

/** The content of an item. For a hold that can be released, it also shows the text and the memories of the release. */
export function Content({ item, content, marks }: ContentProps) {
  const { t } = useTranslation('reviews')
  const [tab, setTab] = useState<string | null>('held')
  if (content === undefined) return <Text c="dimmed">{t('item.hidden')}</Text>
  if (content === null) return <Text c="dimmed">{t('item.erased')}</Text>
  const held = (
    <Stack gap="xs">
      <HeldMessages content={content} marks={marks} />
      <HeldParameters parameters={content.parameters} marks={marks} />
    </Stack>
  )
  const isReleasable = item.kind === 'hold' && (item.state === 'pending' || item.state === 'approved')
  if (!isReleasable) return held
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false}>
      <Tabs.List aria-label={t('preview.tabs')} mb="sm">
        <Tabs.Tab value="held">{t('preview.held')}</Tabs.Tab>
        <Tabs.Tab value="released">{t('preview.released')}</Tabs.Tab>
        <Tabs.Tab value="remembered">{t('preview.remembered')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="held">{held}</Tabs.Panel>
      <Tabs.Panel value="released">
        <PreviewPanel item={item} held={content} part="released" />
      </Tabs.Panel>
      <Tabs.Panel value="remembered">
        <PreviewPanel item={item} held={content} part="remembered" />
      </Tabs.Panel>
    </Tabs>
  )
}

interface PreviewPanelProps {
  readonly item: ReviewItem
  readonly held: HeldContent
  readonly part: 'released' | 'remembered'
}

/** Loads the preview when a reviewer asks for it, and once, because each reading is recorded. */
function PreviewPanel({ item, held, part }: PreviewPanelProps) {
  const { data, error, refetch } = useRead(
    '/admin/v1/reviews/{id}/preview',
    { params: { path: { id: item.id } } },
    { staleTime: 'static' },
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton />
  return part === 'released' ? <Released item={item} held={held} preview={data} /> : <Remembered item={item} preview={data} />
}
