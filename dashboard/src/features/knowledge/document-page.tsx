import { Alert, Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { EDIT_BUTTON, FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { formatAcl, formatReaders } from './acl.ts'
import { DocumentText } from './document-text.tsx'
import type { Document } from './documents-section.tsx'
import { LabelsFields, type LabelValues, labelsBody } from './labels-fields.tsx'

const REFRESH = ['/admin/v1/documents']

/** One document: findings, labels, text and file. */
export function Page() {
  const id = usePathParam('id')
  const { data: document, error, refetch } = useRead('/admin/v1/documents/{id}', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!document) return <PageSkeleton />
  const frontMatter = formatLabels(document.front_matter) || null
  return (
    <Frame
      title={document.title}
      parent={{ to: `/knowledge/${document.collection_id}`, label: 'Open collection' }}
      actions={canEdit && <DeleteButton document={document} />}
    >
      {document.flags && <FlagsAlert document={document} canClear={canEdit} />}
      <Section title="Access" actions={canEdit && <EditButton document={document} />}>
        <DescriptionList
          items={[
            ['Readers', formatReaders(document.effective.acls)],
            ['Classification', <Classification key="level" level={document.effective.classification} />],
            ['Regulations', document.effective.regulations.join(', ') || null],
            ['Labels of this document', formatLabels(document) || "None: the collection's labels apply"],
            ['Front matter', frontMatter && `${frontMatter} (can only narrow access)`],
          ]}
        />
      </Section>
      <DocumentText documentId={id} chunks={document.chunks} />
      <Section title="File">
        <DescriptionList
          items={[
            ['Key', document.key],
            ['Source', document.source],
            ['Type', `${document.media_type}, ${document.bytes.toLocaleString()} bytes`],
            ['Version', document.version],
            ['Created', <Time key="created" at={document.created_at} />],
            ['Updated', <Time key="updated" at={document.updated_at} />],
            ['SHA-256', <Copyable key="hash" value={document.content_hash} label="hash" />],
            ['ID', <Copyable key="id" value={document.id} label="ID" />],
          ]}
        />
      </Section>
    </Frame>
  )
}

const formatLabels = ({ classification, regulations, acl }: Document['front_matter']): string =>
  [classification, ...regulations, acl && `readers: ${formatAcl(acl, '')}`].filter(Boolean).join(', ')

/** Shown until an operator has reviewed possible instructions for models in the document. */
function FlagsAlert({ document, canClear }: { readonly document: Document; readonly canClear: boolean }) {
  const clear = useChange('post', '/admin/v1/documents/{id}/clear-flags', { refresh: REFRESH })
  const findings = Object.entries(document.flags ?? {}).map(([type, count]) => `${type} (${count})`)
  return (
    <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />} title="Review required">
      <Stack align="flex-start" gap="xs">
        The document may contain instructions for a model: {findings.join(', ')}. Read the text, then mark it as reviewed.
        {canClear && (
          <Button
            size="xs"
            variant="default"
            loading={clear.isPending}
            onClick={() =>
              clear.mutate(
                { params: { path: { id: document.id } } },
                { onSuccess: () => notifySuccess('Marked as reviewed.'), onError: notifyError },
              )
            }
          >
            Mark as reviewed
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

function EditButton({ document }: { readonly document: Document }) {
  const { id, title, classification, regulations, acl } = document
  const stored: LabelValues = { classification, regulations, acl }
  const form = useForm<LabelValues>({ initialValues: stored })
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/documents/{id}', { refresh: REFRESH, onDone: dialog.saved })
  useFormSync(form, stored)
  const save = (values: LabelValues) =>
    update.mutate(
      { params: { path: { id } }, body: changedFields(labelsBody(values), labelsBody(stored)) },
      { onError: showFormError(form) },
    )
  return (
    <FormDialog dialog={dialog} title={`Edit labels of ${title}`} {...EDIT_BUTTON} wide pending={update.isPending}>
      <SubmitForm onSubmit={form.onSubmit(save)} submit="Save" pending={update.isPending}>
        <LabelsFields form={form} unsetLabels={{ classification: 'Same as the collection', acl: 'Readers of the collection' }} />
      </SubmitForm>
    </FormDialog>
  )
}

function DeleteButton({ document: { id, title, collection_id } }: { readonly document: Document }) {
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/documents/{id}', {
    expire: REFRESH,
    onDone: () => navigateTo(`/knowledge/${collection_id}`),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Delete ${title}?`}
      consequence="The document is erased and no longer found in searches. This cannot be undone."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
