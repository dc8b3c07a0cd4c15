import { createServer, type Server } from 'node:http';
import { createSchema, createYoga, useExecutionCancellation } from 'graphql-yoga';
import type { AuthorLoader } from './author-loader.ts';
import type { Library, Post } from './library.ts';

const typeDefs = /* GraphQL */ `
  type Author { id: Int! name: String! }
  type Post { id: Int! title: String! author: Author }
  type Query { posts(limit: Int = 50): [Post!]! }
`;

interface Context {
  readonly request: Request;
}

export function createApi(library: Library, authors: AuthorLoader): Server {
  const schema = createSchema<Context>({
    typeDefs,
    resolvers: {
      Query: {
        posts: (_root: unknown, { limit }: { readonly limit: number }) =>
          library.posts(Math.min(limit, 500)),
      },
      Post: {
        // The signal of the request aborts when its client leaves; the query ends when all who wait for it have left.
        author: (post: Post, _args: unknown, { request }: Context) =>
          authors.get(post.authorId, { signal: request.signal }),
      },
    },
  });
  const yoga = createYoga({ schema, plugins: [useExecutionCancellation()], logging: 'warn' });
  return createServer(yoga);
}
