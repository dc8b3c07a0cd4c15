// @boundaries-ignore the settings that all packages share are at the top of the repository
import { library } from '../../tsup.shared.ts';

export default library(
  'src/index.ts',
  'src/coalescer/index.ts',
  'src/batcher/index.ts',
  'src/streams/index.ts',
  'src/http/index.ts',
  'src/fastify/index.ts',
  'src/koa/index.ts',
  'src/hono/index.ts',
  'src/dataloader/index.ts',
  'src/shared/index.ts',
  'src/shared/conformance/index.ts',
);
