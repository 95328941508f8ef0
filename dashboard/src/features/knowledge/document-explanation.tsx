import { Alert, Button, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { ExplainedDocument, KnowledgeExplanation } from '../../api/schema.d.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { CheckList } from './check-list.tsx'

interface DocumentExplanationProps {
  readonly documentId: string
  /** Undefined until the operator has searched. */
  readonly explanation: KnowledgeExplanation | undefined
  /** Searches without a chosen document. */
  readonly onClose: () => void
}

/** Why the search of the user finds one document, or not. */
export function DocumentExplanation({ documentId, explanation, onClose }: DocumentExplanationProps) {
  const { t } = useTranslation('knowledge')
  const { data } = useRead('/admin/v1/documents/{id}', { params: { path: { id: documentId } } })
  return (
    <Section
      title={t('explain.title')}
      actions={
        <Button size="xs" variant="default" onClick={onClose}>
          {t('explain.close')}
        </Button>
      }
    >
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        <Trans
          ns="knowledge"
          i18nKey={explanation ? 'explain.of' : 'explain.hint'}
          values={{ title: data?.title ?? documentId }}
          components={{
            document: (
              <Link to={`/knowledge/documents/${documentId}`} fw={500}>
                {null}
              </Link>
            ),
          }}
        />
      </Text>
      {explanation?.document && <Reasons document={explanation.document} explanation={explanation} />}
    </Section>
  )
}

interface ReasonsProps {
  readonly document: ExplainedDocument
  readonly explanation: KnowledgeExplanation
}

function Reasons({ document, explanation: { enabled, hidden } }: ReasonsProps) {
  const { t, i18n } = useTranslation('knowledge')
  const { id, rank, state, checks, missing_words: missing } = document
  const isFound = enabled && rank !== null
  const denials = hidden
    .filter(({ document_id }) => document_id === id)
    .flatMap((hit) => hit.checks)
    .filter(({ rule, passed }) => rule === 'policy' && !passed)
  // A rule that reads texts leaves out passages, and permits the document itself.
  const shown = denials.length === 0 ? checks : [...checks.filter(({ rule }) => rule !== 'policy'), ...denials]
  const distinct = [...new Map(shown.map((check) => [check.because, check])).values()]
  const words = new Intl.ListFormat(i18n.language).format(missing)
  const reasons = [
    ...(enabled ? [] : [{ passed: false, because: t('search.disabledTitle') }]),
    { passed: state === 'indexed' ? true : null, because: t(`explain.states.${state}`) },
    ...distinct,
    missing.length === 0
      ? { passed: true, because: t('explain.allWords') }
      : { passed: isFound ? null : false, because: t('explain.missingWords', { count: missing.length, words }) },
  ]
  const isOutranked = !isFound && reasons.every(({ passed }) => passed)
  return (
    <>
      <Alert
        role="status"
        variant="light"
        p="xs"
        color={isFound ? 'green' : 'red'}
        icon={isFound ? <IconCircleCheck size={18} /> : <IconCircleX size={18} />}
        title={isFound ? t('explain.found', { rank }) : t('explain.notFound')}
      >
        {isOutranked && t('explain.outranked')}
      </Alert>
      <CheckList checks={reasons} />
    </>
  )
}
