import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Level, levelLabel } from './level.tsx'

/** Least sensitive first. */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const

/** For a select. */
export const classificationChoices = () => CLASSIFICATIONS.map((value) => ({ value, label: levelLabel(value) }))

interface ClassificationProps {
  readonly level: string | null
  /** Text for a null level. Default: "none". */
  readonly fallback?: string
}

/** Badge with a classification. */
export function Classification({ level, fallback }: ClassificationProps) {
  const { t } = useTranslation('ui')
  if (level) return <Level level={level} />
  return (
    <Badge color="gray" variant="outline">
      {fallback ?? t('classification.none')}
    </Badge>
  )
}
