# syntax=docker/dockerfile:1

# The base images are not pinned by digest: each build takes their latest security fixes, and a tag of a release names its image.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build.ts scripts/bundle.ts scripts/bundle-pages.ts scripts/unneeded-packages.ts scripts/
COPY scripts/image scripts/image
COPY scripts/client scripts/client
COPY clients clients
COPY openapi openapi
COPY pages pages
COPY examples/order-desk examples/order-desk
COPY src src
COPY asyncapi asyncapi
# Shown by /version. The image has no history.
ARG COMMIT=unknown
# The embedded PostgreSQL, an optional dependency, is for development: an image always gets a DATABASE_URL.
RUN npm run build \
  && npm sbom --package-lock-only --sbom-format=cyclonedx --omit=dev --omit=optional > sbom.cdx.json \
  && node_modules/.bin/tsx scripts/unneeded-packages.ts > unneeded.txt \
  && npm prune --omit=dev --omit=optional --ignore-scripts
# The bundle has its packages inside. Types, source maps and the builds of ExcelJS for browsers are for developers.
RUN xargs rm -rf < unneeded.txt \
  && rm -rf node_modules/exceljs/dist \
  && find node_modules dist/program \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -type f -delete

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/sbom.cdx.json ./
COPY --from=build /app/dist/program dist/program
COPY --from=build /app/dist/pages dist/pages
COPY drizzle/migrations drizzle/migrations
COPY src/terminology/value-sets src/terminology/value-sets
COPY src/platform/openapi/page src/platform/openapi/page
ENV NODE_ENV=production ENVIRONMENT=prod HOST=0.0.0.0 PORT=3000
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/program/main.js"]
