/** Embeddings between the APIs that have them. */
import {
  type EmbeddingCodec,
  type EmbeddingTarget,
  geminiBatchEmbed,
  geminiEmbed,
  ollamaEmbed,
  ollamaEmbeddings,
  openaiEmbeddings,
} from './embedding-codecs.ts'
import { noReply, type Translation } from './translation.ts'

const TARGETS: readonly EmbeddingTarget[] = [openaiEmbeddings, ollamaEmbed, geminiBatchEmbed]
const CODECS: readonly EmbeddingCodec[] = [...TARGETS, ollamaEmbeddings, geminiEmbed]

export const embeddingTranslations: readonly Translation[] = CODECS.flatMap((from) =>
  TARGETS.filter((to) => to.api !== from.api).map((to) => translationOf(from, to)),
)

function translationOf(from: EmbeddingCodec, to: EmbeddingTarget): Translation {
  return {
    from: from.api,
    to: to.api,
    carried: from.carried,
    request: (body, model) => to.writeQuestion(from.readQuestion(body), model),
    reply(reply, { body, model }) {
      const embeddings = to.readReply(reply)
      if (!embeddings) throw noReply('embeddings')
      return from.writeReply(embeddings, body, model)
    },
  }
}
