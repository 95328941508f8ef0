import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

const MOST_NAMES = 5

interface UnpricedNoteProps {
  readonly models: readonly string[]
  /** The consequence, and the way out of it. */
  readonly children: ReactNode
}

/** Names models without a price, if there are any. */
export function UnpricedNote({ models, children }: UnpricedNoteProps) {
  const { t } = useTranslation('ui')
  if (models.length === 0) return null
  const names = models.slice(0, MOST_NAMES).join(', ')
  const rest = models.length - MOST_NAMES
  return (
    <Alert role="note" color="orange" variant="light" p="xs">
      {t('unpriced', { count: models.length, names: rest > 0 ? t('namesAndMore', { names, count: rest }) : names })} {children}
    </Alert>
  )
}
