import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../../ui/marked-text.module.css'
import { piecesOf } from '../../ui/marked-text.tsx'
import { findFacts } from './find-facts.ts'

/** The first line of a held text, with amounts and recipients marked. */
export function Excerpt({ text }: { readonly text: string }) {
  const { t } = useTranslation('reviews')
  return (
    <Text size="sm" component="span" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {piecesOf(text, findFacts(text)).map(({ start, content, types: [type] }) =>
        type ? (
          <mark key={start} className={classes.fact} title={t(`facts.${type}`)}>
            {content}
          </mark>
        ) : (
          <Fragment key={start}>{content}</Fragment>
        ),
      )}
    </Text>
  )
}
