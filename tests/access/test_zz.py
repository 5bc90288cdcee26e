import time, pytest
from django.db import connection
from tests.builders import *
from tests.access.admin_pages import url, SCOPED
from kindgi.access.models import *
@pytest.mark.django_db
def test_big():
    t=make_tenant(); small=make_user(t,"viewer",admin=True,is_staff=True, email="zoe@small.com"); make_token(small)
    root=browser(User.objects.create_superuser("root@example.com","p"))
    c=connection.cursor()
    c.execute("SET CONSTRAINTS ALL IMMEDIATE"); c.execute("SET CONSTRAINTS ALL DEFERRED")
    c.execute("SET session_replication_role = replica")
    t0=time.time()
    c.execute("INSERT INTO access_tenant(id,created_at,name,slug) SELECT gen_random_uuid(), now(), 'T '||i, 't-'||i FROM generate_series(1,1000) i")
    c.execute("CREATE TEMP TABLE tt AS SELECT id, row_number() over () -1 AS n FROM access_tenant WHERE slug LIKE 't-%'")
    c.execute("INSERT INTO access_project(id,created_at,tenant_id,name,slug,description,is_default,blind,updated_at) SELECT gen_random_uuid(), now(), tt.id,'P '||i,'p-'||i,'',false,true,now() FROM generate_series(1,20000) i JOIN tt ON tt.n = i % 1000")
    c.execute("INSERT INTO access_user(id,password,is_superuser,email,display_name,is_tenant_admin,is_active,is_staff,created_at,tenant_id) SELECT gen_random_uuid(),'x',false,'u'||i||'@ex.com','U '||i,false,true,false,now(),tt.id FROM generate_series(1,1000000) i JOIN tt ON tt.n = i % 1000")
    c.execute("CREATE TEMP TABLE uu AS SELECT id, tenant_id, row_number() over () AS n FROM access_user WHERE email LIKE 'u%'")
    c.execute("CREATE TEMP TABLE pp AS SELECT DISTINCT ON (tenant_id) id, tenant_id FROM access_project")
    c.execute("INSERT INTO access_membership(id,created_at,project_id,user_id,role) SELECT gen_random_uuid(), now(), pp.id, uu.id,'viewer' FROM uu JOIN pp USING (tenant_id)")
    c.execute("INSERT INTO access_token(id,created_at,tenant_id,user_id,secret_hash,secret_tail,role,reviewer_role,label,created_by) SELECT gen_random_uuid(), now(), uu.tenant_id, uu.id, sha256(uu.id::text::bytea),'abcd','member','','','' FROM uu")
    c.execute("INSERT INTO access_reviewer(id,created_at,tenant_id,user_id,role,display_name) SELECT gen_random_uuid(), now(), uu.tenant_id, uu.id,'senior','' FROM uu")
    c.execute("INSERT INTO access_serviceaccount(id,created_at,tenant_id,name,description,is_tenant_admin,created_by) SELECT gen_random_uuid(), now(), uu.tenant_id, 's'||uu.n,'',false,'' FROM uu")
    c.execute("INSERT INTO access_serviceaccountgrant(id,created_at,service_account_id,project_id,role) SELECT gen_random_uuid(), now(), s.id, pp.id,'viewer' FROM access_serviceaccount s JOIN pp USING (tenant_id)")
    for m in ("tenant","project","user","membership","token","reviewer","serviceaccount","serviceaccountgrant"): c.execute(f"ANALYZE access_{m}")
    c.execute("SET session_replication_role = DEFAULT")
    print("filled", time.time()-t0)
    staff=browser(small)
    big=User.objects.get(email="u5@ex.com"); User.objects.filter(pk=big.pk).update(is_tenant_admin=True,is_staff=True); big.refresh_from_db(); bigs=browser(big)
    for name,cl in (("root",root),("small",staff),("mid",bigs)):
        for m in SCOPED:
            for q in ({}, {"q":"u77"}, {"q":"u777777@ex.com"}, {"q":"nothing"}, {"p":"3"}):
                t0=time.time(); r=cl.get(url(m), q); dt=time.time()-t0
                if dt>0.25: print(name,m.__name__,q,r.status_code, f"{dt*1000:.0f}ms")
    api=Api.of(big,"admin")
    for p in ("tokens","service-accounts","approvals/reviewers","projects"):
        t0=time.time(); api.ok("GET",p); print(p, f"{(time.time()-t0)*1000:.0f}ms")
